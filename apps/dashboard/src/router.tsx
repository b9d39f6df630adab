import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import { withTexts } from './messages/messages.ts'
import { NotFound } from './shell/not-found.tsx'
import { readProductSearch } from './screens/products/product-search.ts'
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
    withTexts(['receipt'], () => import('./screens/receipt/receipt-detail.tsx')),
    'ReceiptDetail',
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

const terminal = createRoute({
  getParentRoute: () => root,
  path: '/terminal',
  component: lazyRouteComponent(
    withTexts(['terminal'], () => import('./screens/terminal/terminal.tsx')),
    'Terminal',
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
  routeTree: root.addChildren([
    ...[home, receipts, newLink, receipt],
    ...[products, newProduct, product],
    ...[terminal],
    ...[split, splitRecipients],
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
