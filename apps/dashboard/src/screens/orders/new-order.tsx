import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { api, contentOf } from '../../api/client.ts'
import { useWrite } from '../../api/use-write.ts'
import { moneyOf } from '../../format/cents.ts'
import { text } from '../../messages/messages.ts'
import { BackLink } from '../../parts/back-link.tsx'
import { Button } from '../../parts/button.tsx'
import { Card, Fact } from '../../parts/card.tsx'
import { TextField } from '../../parts/field.tsx'
import { FormProblem } from '../../parts/form-problem.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { useToast } from '../../parts/toasts.tsx'
import { taxOn } from '../terminal/tax.ts'
import { type CartLine, sumOf, withQty } from './cart.ts'
import { CartLines } from './cart-lines.tsx'
import { PlaceField, usePlaces } from './place-field.tsx'
import { ProductPicker } from './product-picker.tsx'

export function NewOrder(): ReactNode {
  const navigate = useNavigate()
  const say = useToast()
  const places = usePlaces()
  const [cart, setCart] = useState<readonly CartLine[]>([])
  const [place, setPlace] = useState('')
  const [reference, setReference] = useState('')
  const [email, setEmail] = useState('')
  const create = useWrite(
    () =>
      contentOf(
        api.POST('/api/orders', {
          body: {
            items: cart.map(({ product, qty }) => ({ id: product.id, qty })),
            jurisdictionCode: place,
            ...(reference.trim() && { transactionId: reference.trim() }),
            ...(email.trim() && { billingEmail: email.trim() }),
          },
        }),
      ),
    [['orders'], ['receipts'], ['products']],
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate(undefined, {
      onSuccess({ id }) {
        say(text('orders.made'))
        void navigate({ to: '/orders/$orderId', params: { orderId: id } })
      },
    })
  }
  const issues = create.error instanceof ApiError ? create.error.issues : []
  const errorOf = (field: string) => issues.find(({ path }) => path === field)?.message
  const { subtotal, taxable } = sumOf(cart)
  const rate = places.find(({ code }) => code === place)?.rate ?? 0
  const tax = taxOn(taxable, rate)
  const change = (line: CartLine['product'], qty: number) => setCart(withQty(cart, line, qty))
  return (
    <>
      <BackLink to="/orders">{text('orders.back')}</BackLink>
      <PageHeader title={text('orders.new')} note={text('orders.new.note')} />
      <form onSubmit={submit} noValidate className="grid items-start gap-6 lg:grid-cols-[1fr_24rem]">
        <ProductPicker cart={cart} onChange={change} />
        <div className="grid gap-5">
          <Card title={text('orders.lines')}>
            <CartLines cart={cart} onChange={change} />
            <dl className="mt-3 border-line border-t pt-2">
              <Fact term={text('orders.subtotal')}>{moneyOf(subtotal, 'USD')}</Fact>
              <Fact term={text('orders.tax-plain')}>{moneyOf(tax, 'USD')}</Fact>
              <Fact term={<strong>{text('orders.total')}</strong>}>
                <strong>{moneyOf(subtotal + tax, 'USD')}</strong>
              </Fact>
            </dl>
          </Card>
          <Card title={text('orders.facts')}>
            <div className="grid gap-4">
              <PlaceField
                places={places}
                value={place}
                error={errorOf('jurisdictionCode')}
                onChange={setPlace}
              />
              <TextField
                label={text('orders.reference')}
                hint={text('orders.reference.hint')}
                maxLength={64}
                value={reference}
                error={errorOf('transactionId')}
                onChange={(event) => setReference(event.target.value)}
              />
              <TextField
                label={text('orders.email')}
                type="email"
                value={email}
                error={errorOf('billingEmail')}
                onChange={(event) => setEmail(event.target.value)}
              />
            </div>
          </Card>
          <FormProblem error={create.error} />
          <Button type="submit" look="main" disabled={cart.length === 0 || place === '' || create.isPending}>
            {text('orders.create')}
          </Button>
        </div>
      </form>
    </>
  )
}
