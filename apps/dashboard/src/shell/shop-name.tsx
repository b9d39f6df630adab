import { lazy, type ReactNode, Suspense } from 'react'
import { text } from '../messages/messages.ts'
import { useMerchants } from '../service/use-merchants.ts'

/** Loaded on demand, because most wallets act for only one merchant. */
const ShopMenu = lazy(() => import('./shop-menu.tsx'))

export function ShopName(): ReactNode {
  const merchants = useMerchants() ?? []
  const name = merchants.find(({ isCurrent }) => isCurrent)?.shopName ?? text('app.name')
  const face = (
    <>
      <img src="/favicon.ico" alt="" width={32} height={32} className="shrink-0" />
      <span dir="auto" className="min-w-0 truncate font-bold text-lg" title={name}>
        <bdi>{name}</bdi>
      </span>
    </>
  )
  const alone = <p className="flex min-w-0 items-center gap-3">{face}</p>
  if (merchants.length < 2) return alone
  return (
    <Suspense fallback={alone}>
      <ShopMenu name={name} face={face} merchants={merchants} />
    </Suspense>
  )
}
