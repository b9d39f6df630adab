import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { api, contentOf } from '../../api/client.ts'
import { money } from '../../format/money.ts'
import type { TextKey } from '../../messages/catalogue.ts'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { QrCode } from '../../parts/qr-code.tsx'
import type { Sale } from './sale.ts'
import { Slip } from './slip.tsx'
import { playSound } from './sound.ts'
import { type Standing, standingOf } from './standing.ts'

const everyMs = 1_000

export function CustomerScreen({
  sale,
  hasSound,
  onNext,
}: {
  readonly sale: Sale
  readonly hasSound: boolean
  onNext(): void
}): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const element = dialog.current
    element?.showModal()
    return () => element?.close()
  }, [])
  const { standing, received, token, isUnknown } = useStanding(sale.receiptId)
  useEffect(() => {
    if (hasSound && (standing === 'paid' || standing === 'failed')) playSound(standing)
  }, [standing, hasSound])
  const isOver = standing === 'paid'
  const look = isOver
    ? 'bg-good-soft text-good'
    : standing === 'failed'
      ? 'bg-bad-soft text-bad'
      : 'bg-page text-ink'
  return (
    <dialog
      ref={dialog}
      aria-label={text('terminal.customer')}
      // Otherwise, Esc would close a sale while the buyer pays.
      onCancel={(event) => event.preventDefault()}
      className={`fixed inset-0 m-0 h-dvh max-h-none w-screen max-w-none overflow-y-auto ${look}`}
    >
      <div className="grid min-h-dvh grid-rows-[1fr_auto] gap-4 p-4 sm:p-8">
        <div className="grid content-center justify-items-center gap-4 text-center">
          {isUnknown ? (
            <p role="alert" className="rounded-xl bg-wait-soft px-4 py-3 text-wait">
              {text('terminal.offline')}
            </p>
          ) : null}
          <p className="font-bold text-4xl tabular-nums tracking-tight sm:text-5xl">
            {money(sale.total, sale.currency)}
          </p>
          {isOver || standing === 'failed' ? null : (
            <div className="w-[min(80vw,58dvh)] min-w-70 max-w-150">
              <QrCode value={sale.paymentUrl} label={text('terminal.qr')} />
            </div>
          )}
          <p role="status" className="font-bold text-5xl tracking-tight [overflow-wrap:anywhere] sm:text-6xl">
            <span aria-hidden="true">{signs[standing]} </span>
            {text(`terminal.state.${standing}` as TextKey)}
          </p>
          <p className="max-w-prose text-lg">
            {text(`terminal.told.${standing}` as TextKey, { received, token })}
          </p>
        </div>
        <Actions sale={sale} standing={standing} onNext={onNext} />
      </div>
      {isOver ? <Slip sale={sale} /> : null}
    </dialog>
  )
}

const signs: Readonly<Record<Standing, string>> = {
  waiting: '◔',
  seen: '◑',
  short: '◔',
  paid: '✓',
  failed: '✕',
}

function useStanding(receiptId: string) {
  const check = useQuery({
    queryKey: ['terminal', receiptId],
    queryFn: () => contentOf(api.GET('/api/terminal/check-payment', { params: { query: { receiptId } } })),
    refetchInterval: ({ state }) => (state.data?.paid ? false : everyMs),
    refetchIntervalInBackground: true,
    networkMode: 'always',
    retry: false,
  })
  const { data, error } = check
  const isUnknown = error instanceof ApiError && error.status !== 403
  return {
    standing: data ? standingOf(data) : ('waiting' as const),
    received: data ? String(data.payment.received) : '',
    token: data?.payment.token ?? '',
    isUnknown,
  }
}

function Actions({
  sale,
  standing,
  onNext,
}: {
  readonly sale: Sale
  readonly standing: Standing
  onNext(): void
}): ReactNode {
  const queries = useQueryClient()
  const path = { id: sale.receiptId }
  const end = async () => {
    // Cancels the receipt of an abandoned sale. A payment already in progress is still credited.
    if (standing === 'waiting') {
      await api.POST('/api/receipts/{id}/cancel', { params: { path } }).catch(() => {})
      void queries.invalidateQueries({ queryKey: ['receipts'] })
    }
    onNext()
  }
  if (standing === 'paid') {
    return (
      <div className="mx-auto flex w-full max-w-xl flex-wrap justify-center gap-3">
        <Button className="min-h-14 grow" onClick={() => print()}>
          {text('terminal.print')}
        </Button>
        <Button look="main" className="min-h-14 grow-2" onClick={onNext}>
          {text('terminal.next')}
        </Button>
      </div>
    )
  }
  return (
    <div className="mx-auto flex w-full max-w-xl flex-wrap justify-center gap-3">
      <Button className="min-h-14 grow" onClick={() => void end()}>
        {text(standing === 'waiting' ? 'terminal.cancel' : 'terminal.next')}
      </Button>
    </div>
  )
}
