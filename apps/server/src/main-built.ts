/** The service as `npm run build` keeps it: the same program, in few files, whose stack traces name its sources. */
import { translateStacks } from './platform/builds/translate-stacks.ts'

translateStacks(import.meta.dirname)
await import('./main.ts')
