import { startLocal } from '../../../src/local/start-local.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { readConfig } from '../../../src/platform/settings/config.ts'

/**
 * The local start alone, as a process of its own: `node local-child.ts <DATA_DIR>`. Prints one line of JSON when
 * all runs (with a database that is fast, not durable), ends everything on SIGTERM, and can be killed.
 */
const [, , dataDir = ''] = process.argv
const local = await startLocal(readConfig({ DATA_DIR: dataDir }), makeLog('info'), { isThrowaway: true })
const { databaseUrl, rpcUrl } = local
console.log(JSON.stringify({ databaseUrl, rpcUrl }))
process.once('SIGTERM', () => local.stop().then(() => process.exit(0)))
setInterval(() => {}, 60_000)
