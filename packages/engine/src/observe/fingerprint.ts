/**
 * A number of 53 bits that shows whether a text has changed: two different texts have the same number once in 10^16. It does not resist
 * forgery. (cyrb53: two multiplicative hashes of 32 bits, mixed as in MurmurHash3.)
 */
export function fingerprint(text: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  const mixedHigh = mix(high, low);
  return 2 ** 32 * (mix(low, high) & 0x1fffff) + (mixedHigh >>> 0);
}

function mix(one: number, other: number): number {
  return Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(other ^ (other >>> 13), 3266489909);
}
