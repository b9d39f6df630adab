import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { withTexts } from '../messages/messages.ts'
import { readProductSearch } from '../screens/products/product-search.ts'
import { root } from './root.tsx'

const products = createRoute({
  getParentRoute: () => root,
  path: '/products',
  validateSearch: readProductSearch,
  component: lazyRouteComponent(
    withTexts(['products'], () => import('../screens/products/product-list.tsx')),
    'ProductList',
  ),
})

const newProduct = createRoute({
  getParentRoute: () => root,
  path: '/products/new',
  component: lazyRouteComponent(
    withTexts(['products'], () => import('../screens/products/new-product.tsx')),
    'NewProduct',
  ),
})

const product = createRoute({
  getParentRoute: () => root,
  path: '/products/$productId',
  component: lazyRouteComponent(
    withTexts(['products'], () => import('../screens/products/edit-product.tsx')),
    'EditProduct',
  ),
})

const orders = createRoute({
  getParentRoute: () => root,
  path: '/orders',
  validateSearch: ({ cursor }: Record<string, unknown>): { readonly cursor?: string } =>
    cursor === undefined ? {} : { cursor: String(cursor) },
  component: lazyRouteComponent(
    withTexts(['orders'], () => import('../screens/orders/order-list.tsx')),
    'OrderList',
  ),
})

const newOrder = createRoute({
  getParentRoute: () => root,
  path: '/orders/new',
  component: lazyRouteComponent(
    withTexts(['orders'], () => import('../screens/orders/new-order.tsx')),
    'NewOrder',
  ),
})

const order = createRoute({
  getParentRoute: () => root,
  path: '/orders/$orderId',
  component: lazyRouteComponent(
    withTexts(['orders'], () => import('../screens/orders/order-detail.tsx')),
    'OrderDetail',
  ),
})

const terminal = createRoute({
  getParentRoute: () => root,
  path: '/terminal',
  component: lazyRouteComponent(
    withTexts(['terminal'], () => import('../screens/terminal/terminal.tsx')),
    'Terminal',
  ),
})

const shop = createRoute({
  getParentRoute: () => root,
  path: '/shop',
  component: lazyRouteComponent(
    withTexts(['shop'], () => import('../screens/shop/shop-profile.tsx')),
    'ShopProfile',
  ),
})

const shopLook = createRoute({
  getParentRoute: () => root,
  path: '/shop/look',
  component: lazyRouteComponent(
    withTexts(['shop'], () => import('../screens/shop/look-editor.tsx')),
    'LookEditor',
  ),
})

const site = createRoute({
  getParentRoute: () => root,
  path: '/site',
  component: lazyRouteComponent(
    withTexts(['site'], () => import('../screens/site/site.tsx')),
    'Site',
  ),
})

const brand = createRoute({
  getParentRoute: () => root,
  path: '/site/brands/$brandKey',
  component: lazyRouteComponent(
    withTexts(['site'], () => import('../screens/site/edit-brand.tsx')),
    'EditBrand',
  ),
})

export const sellingRoutes = [
  products,
  newProduct,
  product,
  orders,
  newOrder,
  order,
  terminal,
  shop,
  shopLook,
  site,
  brand,
] as const
