import { buildProgram } from '../../../src/build-service.ts'

console.log(await buildProgram('mortal', 'apps/server/test/support/kill/mortal-main.ts'))
