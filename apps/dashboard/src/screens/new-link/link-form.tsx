import type { ReactNode } from 'react'
import { FormProvider, type Path, useForm } from 'react-hook-form'
import { api, contentOf } from '../../api/client.ts'
import { placeIssues } from '../../api/place-issues.ts'
import { useWrite } from '../../api/use-write.ts'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { SelectField } from '../../parts/field.tsx'
import { FormProblem } from '../../parts/form-problem.tsx'
import { addUp, type Draft, fieldOfPath, newDraft, requestOf } from './draft.ts'
import { LinkLines } from './link-lines.tsx'
import type { MadeLink } from './link-made.tsx'
import { LinkOptions } from './link-options.tsx'
import { LinkPreview } from './link-preview.tsx'

export function LinkForm({ onMade }: { onMade(made: MadeLink): void }): ReactNode {
  const form = useForm<Draft>({ defaultValues: newDraft() })
  const create = useWrite(
    (draft: Draft) => contentOf(api.POST('/api/receipts', { body: requestOf(draft) })),
    [['receipts']],
  )
  const submit = form.handleSubmit((draft) => {
    if (addUp(draft).total <= 0n) {
      form.setError('discount', { message: text('new-link.error.total') }, { shouldFocus: true })
      return
    }
    create.mutate(draft, { onSuccess: onMade, onError: show })
  })
  const show = (error: Error) => {
    const count = form.getValues('lines').length
    placeIssues(
      error,
      (path) => fieldOfPath(path, count),
      (field, message) => form.setError(field as Path<Draft>, { message }, { shouldFocus: true }),
    )
  }
  const others = placeIssues(
    create.error,
    (path) => fieldOfPath(path, form.getValues('lines').length),
    () => {},
  )
  return (
    <FormProvider {...form}>
      <form noValidate onSubmit={(event) => void submit(event)}>
        <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_22rem]">
          <div className="grid min-w-0 gap-5">
            <Card title={text('new-link.items')}>
              <div className="mb-5 max-w-48">
                <SelectField label={text('new-link.currency')} {...form.register('currency')}>
                  <option value="USD">{text('new-link.currency.usd')}</option>
                  <option value="EUR">{text('new-link.currency.eur')}</option>
                </SelectField>
              </div>
              <LinkLines />
            </Card>
            <LinkOptions />
          </div>
          <div className="grid gap-4 lg:sticky lg:top-6">
            <LinkPreview />
            <FormProblem error={create.error} others={others} />
            <Button type="submit" look="main" disabled={create.isPending} className="w-full">
              {text(create.isPending ? 'new-link.creating' : 'new-link.create')}
            </Button>
          </div>
        </div>
      </form>
    </FormProvider>
  )
}
