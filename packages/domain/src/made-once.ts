/**
 * Makes the value of an object once, and keeps it as long as something references the object. The object must not change: it is identified
 * by itself, not by its content.
 */
export function madeOnce<K extends object, V>(make: (of: K) => V): (of: K) => V {
  const made = new WeakMap<K, { readonly value: V }>();
  return (of) => {
    const known = made.get(of);
    if (known !== undefined) return known.value;
    const value = make(of);
    made.set(of, { value });
    return value;
  };
}
