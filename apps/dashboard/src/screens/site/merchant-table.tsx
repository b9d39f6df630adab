import { useInfiniteQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api, contentOf } from '../../api/client.ts'
import { useWrite } from '../../api/use-write.ts'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { SelectField } from '../../parts/field.tsx'
import { FormProblem } from '../../parts/form-problem.tsx'
import { Notice } from '../../parts/notice.tsx'
import { QueryView } from '../../parts/query-view.tsx'
import { Section } from '../../parts/section.tsx'
import { Cell, HeadCell, RowHead, Table } from '../../parts/table.tsx'
import { useToast } from '../../parts/toasts.tsx'
import { When } from '../../parts/when.tsx'
import { useBrands } from './brands.ts'

type Merchant = {
  readonly merchantWallet: string
  readonly name: string
  readonly brandKey: string
  readonly createdAt: number
}
type Assigned = { readonly merchant: Merchant; readonly brandKey: string }

const pageSize = 50

export function MerchantTable(): ReactNode {
  const merchants = useInfiniteQuery({
    queryKey: ['site', 'merchants'],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor }) =>
      contentOf(
        api.GET('/api/site/merchants', { params: { query: { limit: pageSize, ...(cursor && { cursor }) } } }),
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  })
  const rows = merchants.data?.pages.flatMap((page) => page.merchants) ?? []
  const head = (
    <>
      <HeadCell>{text('site.merchant')}</HeadCell>
      <HeadCell>{text('site.merchant.brand')}</HeadCell>
      <HeadCell>{text('site.merchant.since')}</HeadCell>
    </>
  )
  return (
    <Section title={text('site.merchants')} note={text('site.merchants.note')}>
      <QueryView
        query={merchants}
        isEmpty={() => rows.length === 0}
        empty={<Notice title={text('site.merchants.empty')} />}
      >
        {() => (
          <Table label={text('site.merchants')} head={head}>
            {rows.map((merchant) => (
              <Row key={merchant.merchantWallet} merchant={merchant} />
            ))}
          </Table>
        )}
      </QueryView>
      {merchants.hasNextPage ? (
        <Button
          className="justify-self-start"
          disabled={merchants.isFetchingNextPage}
          onClick={() => void merchants.fetchNextPage()}
        >
          {text('app.more')}
        </Button>
      ) : null}
    </Section>
  )
}

function Row({ merchant }: { readonly merchant: Merchant }): ReactNode {
  const say = useToast()
  const brands = useBrands().data ?? []
  const [asked, setAsked] = useState<string>()
  const assign = useWrite(
    ({ merchant: { merchantWallet }, brandKey }: Assigned) =>
      contentOf(api.POST('/api/site/merchants', { body: { merchantWallet, brandKey } })),
    [['site']],
  )
  const name = merchant.name.trim() || merchant.merchantWallet
  const brandName = brands.find(({ key }) => key === asked)?.config.theme.brandName ?? asked ?? ''
  const confirm = (brandKey: string) =>
    assign.mutate(
      { merchant, brandKey },
      {
        onSuccess() {
          setAsked(undefined)
          say(text('site.assigned', { merchant: name, brand: brandName }))
        },
      },
    )
  return (
    <tr>
      <RowHead className="min-w-52">
        {merchant.name.trim() ? <bdi className="block">{merchant.name}</bdi> : null}
        <span className="font-mono font-normal text-dim text-sm [overflow-wrap:anywhere]">
          {merchant.merchantWallet}
        </span>
      </RowHead>
      <Cell className="min-w-44">
        <SelectField
          label={text('site.brand-of', { merchant: name })}
          isLabelHidden
          value={merchant.brandKey}
          onChange={(event) => setAsked(event.target.value)}
        >
          {brands.map(({ key, config }) => (
            <option key={key} value={key}>
              {config.theme.brandName}
            </option>
          ))}
        </SelectField>
        <ConfirmDialog
          isOpen={asked !== undefined}
          onClose={() => setAsked(undefined)}
          title={text('site.assign.title', { merchant: name, brand: brandName })}
          action={text('site.assign.do')}
          isBusy={assign.isPending}
          onConfirm={() => asked !== undefined && confirm(asked)}
        >
          <p>{text('site.assign.text')}</p>
          <FormProblem error={assign.error} />
        </ConfirmDialog>
      </Cell>
      <Cell className="whitespace-nowrap text-dim">
        <When at={merchant.createdAt} />
      </Cell>
    </tr>
  )
}
