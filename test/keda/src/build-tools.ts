import { ensureKeda } from "./programs.ts";

/** Makes KEDA's operator and adapter ahead of the tests that need them. */
for (const path of Object.values(await ensureKeda())) console.log(path);
