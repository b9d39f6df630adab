import { createRootRoute } from '@tanstack/react-router'
import { Shell } from '../shell/shell.tsx'

/** What every screen stands in. */
export const root = createRootRoute({ component: Shell })
