import { randomInt } from 'node:crypto'
import { findFreePort } from '../../../src/platform/process/process.ts'

/** Below the range of {@link findFreePort}, so that the many nodes and databases of a run do not take them. */
const ports = { first: 10_000, end: 20_000 }

/** Returns a free port for a program that cannot try another one, and takes seconds to listen. */
export const findServicePort = (): Promise<number> => findFreePort(randomInt(ports.first, ports.end))
