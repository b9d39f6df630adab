import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import { withTexts } from './messages/messages.ts'
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

/** Every screen and its address. */
export const router = createRouter({
  routeTree: root.addChildren([home, receipts, receipt]),
  basepath: '/app',
  scrollRestoration: true,
  defaultPreload: 'intent',
  defaultErrorComponent: ScreenError,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
