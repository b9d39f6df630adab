import type { ReactNode } from 'react'
import { issueLines } from '../../api/issue-of.ts'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { FormProblem } from '../../parts/form-problem.tsx'

export function SaveRow({
  error,
  isBusy,
  isChanged,
}: {
  readonly error: unknown
  readonly isBusy: boolean
  readonly isChanged: boolean
}): ReactNode {
  return (
    <>
      <FormProblem error={error} others={issueLines(error)} />
      <p className="flex justify-end">
        <Button type="submit" look="main" disabled={isBusy || !isChanged}>
          {text('settings.save')}
        </Button>
      </p>
    </>
  )
}
