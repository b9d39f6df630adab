import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { withTexts } from '../messages/messages.ts'
import { readDeliverySearch, readRequestSearch } from '../screens/developers/search.ts'
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

const developers = createRoute({
  getParentRoute: () => root,
  path: '/developers',
  component: lazyRouteComponent(
    withTexts(['developers'], () => import('../screens/developers/keys.tsx')),
    'Keys',
  ),
})

const deliveries = createRoute({
  getParentRoute: () => root,
  path: '/developers/deliveries',
  validateSearch: readDeliverySearch,
  component: lazyRouteComponent(
    withTexts(['developers'], () => import('../screens/developers/deliveries.tsx')),
    'Deliveries',
  ),
})

const delivery = createRoute({
  getParentRoute: () => root,
  path: '/developers/deliveries/$deliveryId',
  component: lazyRouteComponent(
    withTexts(['developers'], () => import('../screens/developers/delivery-detail.tsx')),
    'DeliveryDetail',
  ),
})

const webhookTest = createRoute({
  getParentRoute: () => root,
  path: '/developers/webhook-test',
  component: lazyRouteComponent(
    withTexts(['developers'], () => import('../screens/developers/webhook-test.tsx')),
    'WebhookTest',
  ),
})

const events = createRoute({
  getParentRoute: () => root,
  path: '/developers/events',
  component: lazyRouteComponent(
    withTexts(['developers'], () => import('../screens/developers/events.tsx')),
    'Events',
  ),
})

const requests = createRoute({
  getParentRoute: () => root,
  path: '/developers/requests',
  validateSearch: readRequestSearch,
  component: lazyRouteComponent(
    withTexts(['developers'], () => import('../screens/developers/requests.tsx')),
    'Requests',
  ),
})

const snippets = createRoute({
  getParentRoute: () => root,
  path: '/developers/snippets',
  component: lazyRouteComponent(
    withTexts(['developers'], () => import('../screens/developers/snippets.tsx')),
    'Snippets',
  ),
})

const team = createRoute({
  getParentRoute: () => root,
  path: '/team',
  component: lazyRouteComponent(
    withTexts(['team'], () => import('../screens/team/team.tsx')),
    'Team',
  ),
})

const invite = createRoute({
  getParentRoute: () => root,
  path: '/invite',
  component: lazyRouteComponent(
    withTexts(['invite'], () => import('../screens/invite/invite.tsx')),
    'Invite',
  ),
})

const security = createRoute({
  getParentRoute: () => root,
  path: '/security',
  component: lazyRouteComponent(
    withTexts(['security'], () => import('../screens/security/security.tsx')),
    'Security',
  ),
})

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: lazyRouteComponent(
    withTexts(['settings'], () => import('../screens/settings/settings.tsx')),
    'SettingsScreen',
  ),
})

export const operatingRoutes = [
  split,
  splitRecipients,
  developers,
  deliveries,
  delivery,
  webhookTest,
  events,
  requests,
  snippets,
  team,
  invite,
  security,
  settings,
] as const
