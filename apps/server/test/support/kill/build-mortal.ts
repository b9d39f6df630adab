import { buildProgram } from '../../../src/build-service.ts'

// Prints the path of the bundle of mortal-main.ts.
console.log(await buildProgram('mortal', 'apps/server/test/support/kill/mortal-main.ts'))
