import { afterAll } from 'vitest'
import { removeTemporaryFolders } from './programs/temporary-folder.ts'

/** After the last test of each file nothing runs and nothing lies about, however the tests ended. */
afterAll(removeTemporaryFolders, 60_000)
