import { startPageHarness } from './page-harness.ts'

/** Serves the pages on a free port: the name that tests outside `test/browser` use. */
export const startCheckoutHarness = () => startPageHarness()
