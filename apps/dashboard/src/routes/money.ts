import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { withTexts } from '../messages/messages.ts'
import { readOverviewSearch } from '../screens/overview/range.ts'
import { readReceiptSearch } from '../screens/receipts/receipt-search.ts'
import { readUnmatchedSearch } from '../screens/unmatched/unmatched.ts'
import { root } from './root.tsx'

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('../screens/overview/home.tsx'), 'Home'),
})

const switching = createRoute({
  getParentRoute: () => root,
  path: '/switch',
  component: lazyRouteComponent(() => import('../screens/switch/switch.tsx'), 'Switch'),
})

const overview = createRoute({
  getParentRoute: () => root,
  path: '/overview',
  validateSearch: readOverviewSearch,
  component: lazyRouteComponent(
    withTexts(['overview', 'receipts', 'checklist'], () => import('../screens/overview/overview.tsx')),
    'Overview',
  ),
})

const receipts = createRoute({
  getParentRoute: () => root,
  path: '/receipts',
  validateSearch: readReceiptSearch,
  component: lazyRouteComponent(
    withTexts(['receipts'], () => import('../screens/receipts/receipt-list.tsx')),
    'ReceiptList',
  ),
})

const newLink = createRoute({
  getParentRoute: () => root,
  path: '/payment-links/new',
  component: lazyRouteComponent(
    withTexts(['new-link'], () => import('../screens/new-link/new-link.tsx')),
    'NewLink',
  ),
})

const receipt = createRoute({
  getParentRoute: () => root,
  path: '/receipts/$receiptId',
  component: lazyRouteComponent(
    withTexts(['receipt', 'refund-state'], () => import('../screens/receipt/receipt-detail.tsx')),
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
    withTexts(['refunds'], () => import('../screens/refunds/refund-queue.tsx')),
    'RefundQueue',
  ),
})

const newRefund = createRoute({
  getParentRoute: () => root,
  path: '/refunds/new',
  validateSearch: ({ receiptId }) => ({ receiptId: String(receiptId ?? '') }),
  component: lazyRouteComponent(
    withTexts(['refunds', 'refund-state'], () => import('../screens/refunds/new-refund.tsx')),
    'NewRefund',
  ),
})

const unmatched = createRoute({
  getParentRoute: () => root,
  path: '/unmatched',
  validateSearch: readUnmatchedSearch,
  component: lazyRouteComponent(
    withTexts(['unmatched'], () => import('../screens/unmatched/unmatched-list.tsx')),
    'UnmatchedList',
  ),
})

export const moneyRoutes = [
  home,
  switching,
  overview,
  receipts,
  newLink,
  receipt,
  refunds,
  newRefund,
  unmatched,
] as const
