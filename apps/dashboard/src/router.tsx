import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import { withTexts } from './messages/messages.ts'
import { readProductSearch } from './screens/products/product-search.ts'
import { readReceiptSearch } from './screens/receipts/receipt-search.ts'
import { readUnmatchedSearch } from './screens/unmatched/unmatched.ts'
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
  validateSearch: readReceiptSearch,
  component: lazyRouteComponent(
    withTexts(['receipts'], () => import('./screens/receipts/receipt-list.tsx')),
    'ReceiptList',
  ),
})

const newLink = createRoute({
  getParentRoute: () => root,
  path: '/payment-links/new',
  component: lazyRouteComponent(
    withTexts(['new-link'], () => import('./screens/new-link/new-link.tsx')),
    'NewLink',
  ),
})

const receipt = createRoute({
  getParentRoute: () => root,
  path: '/receipts/$receiptId',
  component: lazyRouteComponent(
    withTexts(['receipt', 'refund-state'], () => import('./screens/receipt/receipt-detail.tsx')),
    'ReceiptDetail',
  ),
})

const refunds = createRoute({
  getParentRoute: () => root,
  path: '/refunds',
  validateSearch: ({ tab }): { tab: 'refund_requested' | 'refunded' } => ({
    tab: tab === 'refunded' ? tab : 'refund_requested',
  }),
  component: lazyRouteComponent(
    withTexts(['refunds'], () => import('./screens/refunds/refund-queue.tsx')),
    'RefundQueue',
  ),
})

const newRefund = createRoute({
  getParentRoute: () => root,
  path: '/refunds/new',
  validateSearch: ({ receiptId }) => ({ receiptId: String(receiptId ?? '') }),
  component: lazyRouteComponent(
    withTexts(['refunds', 'refund-state'], () => import('./screens/refunds/new-refund.tsx')),
    'NewRefund',
  ),
})

const unmatched = createRoute({
  getParentRoute: () => root,
  path: '/unmatched',
  validateSearch: readUnmatchedSearch,
  component: lazyRouteComponent(
    withTexts(['unmatched'], () => import('./screens/unmatched/unmatched-list.tsx')),
    'UnmatchedList',
  ),
})

const products = createRoute({
  getParentRoute: () => root,
  path: '/products',
  validateSearch: readProductSearch,
  component: lazyRouteComponent(
    withTexts(['products'], () => import('./screens/products/product-list.tsx')),
    'ProductList',
  ),
})

const newProduct = createRoute({
  getParentRoute: () => root,
  path: '/products/new',
  component: lazyRouteComponent(
    withTexts(['products'], () => import('./screens/products/new-product.tsx')),
    'NewProduct',
  ),
})

const product = createRoute({
  getParentRoute: () => root,
  path: '/products/$productId',
  component: lazyRouteComponent(
    withTexts(['products'], () => import('./screens/products/edit-product.tsx')),
    'EditProduct',
  ),
})

/** Every screen and its address. */
export const router = createRouter({
  routeTree: root.addChildren([
    home,
    receipts,
    newLink,
    receipt,
    refunds,
    newRefund,
    unmatched,
    products,
    newProduct,
    product,
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
