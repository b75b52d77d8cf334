import { machineRoom } from "@fleet-reloader/testkit/machine-room";
import { beforeEach } from "vitest";

beforeEach(() => machineRoom());
