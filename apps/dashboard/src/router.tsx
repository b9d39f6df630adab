import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import { withTexts } from './messages/messages.ts'
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

/** Every screen and its address. */
export const router = createRouter({
  routeTree: root.addChildren([home, receipts, receipt, split, splitRecipients]),
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
