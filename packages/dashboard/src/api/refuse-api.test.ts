import { expect, test } from "vitest";
import { startServedFleet } from "../fixture/served-fleet.ts";

const reachable = { "0.0.0.0": "0.0.0.0:0", "": ":0", "::": "[::]:0" };
test.each(Object.entries(reachable))(
  "at an address that others reach, %j, the API refuses, and the history does not",
  async (host, value) => {
    await using served = await startServedFleet({ address: { host, port: 0 } });
    const refused = await served.ask("/api/v1/status");
    expect({ status: refused.status, ...JSON.parse(refused.body) }).toMatchObject({
      status: 403,
      field: "--dashboard-address",
      value,
      mend: expect.stringMatching(
        /^let people sign in with --access-file, or write 127\.0\.0\.1 and forward/,
      ),
    });
    expect((await served.ask("/history")).status).toBe(200);
  },
);
