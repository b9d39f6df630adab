import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import { withTexts } from './messages/messages.ts'
import { readDeliverySearch, readRequestSearch } from './screens/developers/search.ts'
import { NotFound } from './shell/not-found.tsx'
import { ScreenError } from './shell/screen-error.tsx'
import { Shell } from './shell/shell.tsx'

const root = createRootRoute({ component: Shell })

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/receipts' })
  },
})

const receipts = createRoute({
  getParentRoute: () => root,
  path: '/receipts',
  component: lazyRouteComponent(
    withTexts(['receipts'], () => import('./screens/receipts/receipt-list.tsx')),
    'ReceiptList',
  ),
})

const receipt = createRoute({
  getParentRoute: () => root,
  path: '/receipts/$receiptId',
  component: lazyRouteComponent(
    withTexts(['receipt'], () => import('./screens/receipts/receipt-detail.tsx')),
    'ReceiptDetail',
  ),
})

const split = createRoute({
  getParentRoute: () => root,
  path: '/split',
  component: lazyRouteComponent(
    withTexts(['split'], () => import('./screens/split/split.tsx')),
    'SplitScreen',
  ),
})

const splitRecipients = createRoute({
  getParentRoute: () => root,
  path: '/split/recipients',
  component: lazyRouteComponent(
    withTexts(['split'], () => import('./screens/split/edit-recipients.tsx')),
    'EditRecipients',
  ),
})

const developers = createRoute({
  getParentRoute: () => root,
  path: '/developers',
  component: lazyRouteComponent(
    withTexts(['developers'], () => import('./screens/developers/keys.tsx')),
    'Keys',
  ),
})

const deliveries = createRoute({
  getParentRoute: () => root,
  path: '/developers/deliveries',
  validateSearch: readDeliverySearch,
  component: lazyRouteComponent(
    withTexts(['developers'], () => import('./screens/developers/deliveries.tsx')),
    'Deliveries',
  ),
})

const delivery = createRoute({
  getParentRoute: () => root,
  path: '/developers/deliveries/$deliveryId',
  component: lazyRouteComponent(
    withTexts(['developers'], () => import('./screens/developers/delivery-detail.tsx')),
    'DeliveryDetail',
  ),
})

const webhookTest = createRoute({
  getParentRoute: () => root,
  path: '/developers/webhook-test',
  component: lazyRouteComponent(
    withTexts(['developers'], () => import('./screens/developers/webhook-test.tsx')),
    'WebhookTest',
  ),
})

const events = createRoute({
  getParentRoute: () => root,
  path: '/developers/events',
  component: lazyRouteComponent(
    withTexts(['developers'], () => import('./screens/developers/events.tsx')),
    'Events',
  ),
})

const requests = createRoute({
  getParentRoute: () => root,
  path: '/developers/requests',
  validateSearch: readRequestSearch,
  component: lazyRouteComponent(
    withTexts(['developers'], () => import('./screens/developers/requests.tsx')),
    'Requests',
  ),
})

const snippets = createRoute({
  getParentRoute: () => root,
  path: '/developers/snippets',
  component: lazyRouteComponent(
    withTexts(['developers'], () => import('./screens/developers/snippets.tsx')),
    'Snippets',
  ),
})

const team = createRoute({
  getParentRoute: () => root,
  path: '/team',
  component: lazyRouteComponent(
    withTexts(['team'], () => import('./screens/team/team.tsx')),
    'Team',
  ),
})

const security = createRoute({
  getParentRoute: () => root,
  path: '/security',
  component: lazyRouteComponent(
    withTexts(['security'], () => import('./screens/security/security.tsx')),
    'Security',
  ),
})

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: lazyRouteComponent(
    withTexts(['settings'], () => import('./screens/settings/settings.tsx')),
    'SettingsScreen',
  ),
})

/** Every screen and its address. */
export const router = createRouter({
  routeTree: root.addChildren([
    home,
    receipts,
    receipt,
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
    security,
    settings,
  ]),
  basepath: '/app',
  scrollRestoration: true,
  defaultPreload: 'intent',
  defaultErrorComponent: ScreenError,
  defaultNotFoundComponent: NotFound,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
