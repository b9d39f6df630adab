import { startLocal } from '../../../src/local/start-local.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { readConfig } from '../../../src/platform/settings/config.ts'

// `node local-child.ts <DATA_DIR>` starts only the database and the chain, and prints their addresses as a
// line of JSON.
const [, , dataDir = ''] = process.argv
const local = await startLocal(readConfig({ DATA_DIR: dataDir }), makeLog('info'), { isThrowaway: true })
process.once('SIGTERM', () => local.stop().then(() => process.exit(0)))
const { databaseUrl, rpcUrl } = local
console.log(JSON.stringify({ databaseUrl, rpcUrl }))
setInterval(() => {}, 60_000)
