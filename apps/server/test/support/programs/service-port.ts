import { randomInt } from 'node:crypto'
import { findFreePort } from '../../../src/platform/process/process.ts'

/** Below those that {@link findFreePort} chooses from by itself. */
const ports = { first: 10_000, end: 20_000 }

/**
 * A free port for a program that has no second try with another: a service that is a process of its own, a PostgreSQL of Debian's.
 *
 * It takes seconds to listen, and again after each death; what is started beside it meanwhile by {@link findFreePort}
 * alone, nodes and databases in their hundreds, looks for its ports elsewhere.
 */
export const findServicePort = (): Promise<number> => findFreePort(randomInt(ports.first, ports.end))
