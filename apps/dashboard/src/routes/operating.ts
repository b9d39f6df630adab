import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { withTexts } from '../messages/messages.ts'
import { root } from './root.tsx'

const split = createRoute({
  getParentRoute: () => root,
  path: '/split',
  component: lazyRouteComponent(
    withTexts(['split'], () => import('../screens/split/split.tsx')),
    'SplitScreen',
  ),
})

const splitRecipients = createRoute({
  getParentRoute: () => root,
  path: '/split/recipients',
  component: lazyRouteComponent(
    withTexts(['split'], () => import('../screens/split/edit-recipients.tsx')),
    'EditRecipients',
  ),
})

/** Split, developers, team, security, settings. */
export const operatingRoutes = [split, splitRecipients] as const
