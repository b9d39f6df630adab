import { buildProgram } from '../../../src/build-service.ts'

// Prints where the service that can be killed is kept in few files, as the one is that runs by itself.
console.log(await buildProgram('mortal', 'apps/server/test/support/kill/mortal-main.ts'))
