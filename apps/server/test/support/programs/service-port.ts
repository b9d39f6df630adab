import { randomInt } from 'node:crypto'
import { findFreePort } from '../../../src/platform/process/process.ts'

/**
 * Below the range of {@link findFreePort}, so that the nodes and databases of a run cannot take these ports.
 */
const ports = { first: 10_000, end: 20_000 }

/** Returns a free port for a program that starts slowly and cannot try another port. */
export const findServicePort = (): Promise<number> => findFreePort(randomInt(ports.first, ports.end))
