import { type ReactNode, useState } from 'react'
import { tokenAmount } from '../../format/token.ts'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Cell, HeadCell, RowHead, Table } from '../../parts/table.tsx'
import { useWebApp } from '../../service/use-web-app.ts'
import { logInProblem } from '../../session/log-in-problem.ts'
import type { BrowserWallet } from '../../wallet/provider.ts'
import { useWallets } from '../../wallet/use-wallets.ts'
import { type Held, readHeld, releaseCall } from './held.ts'
import { Known } from './recipient-table.tsx'
import { SendByWallet } from './send-by-wallet.tsx'
import type { Split } from './use-split.ts'

export function Release({ split }: { readonly split: Split }): ReactNode {
  const { wallets } = useWallets()
  const chain = useWebApp()?.chain
  const [held, setHeld] = useState<readonly Held[]>()
  const [problem, setProblem] = useState<string>()
  const [isReading, setReading] = useState(false)
  const [chosen, setChosen] = useState<Held>()
  const contract = split.address
  const read = async ({ provider }: BrowserWallet) => {
    if (!chain || !contract) return
    setReading(true)
    setProblem(undefined)
    try {
      const accounts = split.recipients.map(({ address }) => address)
      setHeld(await readHeld(provider, chain, contract, accounts))
    } catch (error) {
      setProblem(logInProblem(error))
    } finally {
      setReading(false)
    }
  }
  if (!contract || !split.deployed) return null
  return (
    <Card title={text('split.held')} note={text('split.held.note')}>
      <div className="flex flex-wrap gap-3">
        {wallets.map((wallet) => (
          <Button key={wallet.id} disabled={isReading} onClick={() => void read(wallet)}>
            {text('split.held.read', { wallet: wallet.name ?? text('sign-in.browser-wallet') })}
          </Button>
        ))}
        {wallets.length === 0 ? <p className="text-dim">{text('split.held.no-wallet')}</p> : null}
      </div>
      <p role="alert" className="mt-3 text-bad empty:hidden">
        {problem}
      </p>
      {held ? <HeldTable held={held} onRelease={setChosen} /> : null}
      <Dialog
        isOpen={chosen !== undefined}
        onClose={() => setChosen(undefined)}
        title={text('split.release')}
        note={text('split.release.note')}
      >
        {chosen ? (
          <>
            <p className="font-semibold">{tokenAmount(chosen.units, chosen.decimals, chosen.symbol)}</p>
            <code className="text-sm [overflow-wrap:anywhere]">{chosen.account}</code>
            <SendByWallet
              call={releaseCall(contract, chosen)}
              label={text('split.release')}
              onDone={() => setHeld((before) => before?.filter((each) => each !== chosen))}
            />
          </>
        ) : null}
      </Dialog>
    </Card>
  )
}

function HeldTable({
  held,
  onRelease,
}: {
  readonly held: readonly Held[]
  readonly onRelease: (held: Held) => void
}): ReactNode {
  if (held.length === 0)
    return (
      <p role="status" className="mt-4">
        {text('split.held.none')}
      </p>
    )
  return (
    <div className="mt-4">
      <Table
        label={text('split.held')}
        head={
          <>
            <HeadCell>{text('split.column.recipient')}</HeadCell>
            <HeadCell className="text-end">{text('split.column.held')}</HeadCell>
            <HeadCell />
          </>
        }
      >
        {held.map((each) => (
          <tr key={`${each.account} ${each.symbol}`}>
            <RowHead>
              <span className="grid gap-0.5">
                <Known address={each.account} />
                <code className="text-sm [overflow-wrap:anywhere]">{each.account}</code>
              </span>
            </RowHead>
            <Cell isAmount>{tokenAmount(each.units, each.decimals, each.symbol)}</Cell>
            <Cell className="text-end">
              <Button onClick={() => onRelease(each)}>{text('split.release')}</Button>
            </Cell>
          </tr>
        ))}
      </Table>
    </div>
  )
}
