import { rollLedgerContract } from "../contracts/roll-ledger-contract.ts";
import { MemoryRollLedger } from "./memory-roll-ledger.ts";

rollLedgerContract((limits, now) => {
  const ledger = new MemoryRollLedger({ clock: { now }, limits });
  return { ledger, wipe: async () => ledger.wipe() };
});
