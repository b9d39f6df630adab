import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api } from '../../api/client.ts'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { problemText } from '../../parts/form-problem.tsx'
import { useToast } from '../../parts/toasts.tsx'

/** Downloads all products as CSV. Splits a large catalog into files that the import accepts. */
export function ExportButton(): ReactNode {
  const say = useToast()
  const { mutate, isPending } = useMutation({
    mutationFn: saveFiles,
    onError: (error) => say(problemText(error)),
  })
  return (
    <Button disabled={isPending} onClick={() => mutate()}>
      {text('products.export')}
    </Button>
  )
}

async function saveFiles(): Promise<void> {
  let cursor: string | undefined
  let count = 0
  do {
    const query = { ...(cursor !== undefined && { cursor }) }
    const response = await api.GET('/api/inventory/export', { params: { query }, parseAs: 'blob' })
    cursor = response.response.headers.get('x-next-cursor') ?? undefined
    count += 1
    const isOnly = count === 1 && cursor === undefined
    save(response.data as Blob, isOnly ? 'inventory.csv' : `inventory-${count}.csv`)
  } while (cursor !== undefined)
}

function save(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
