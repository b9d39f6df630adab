import { useQueryClient } from '@tanstack/react-query'
import { type ChangeEvent, type ReactNode, useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { problemText } from '../../parts/form-problem.tsx'
import { Cell, HeadCell, RowHead, Table } from '../../parts/table.tsx'
import { type ImportProgress, type ImportResult, importFile } from './import-file.ts'

const maxBytes = 8 * 1024 * 1024

type State =
  | { readonly kind: 'asking' }
  | { readonly kind: 'running'; readonly file: string; readonly progress: ImportProgress | undefined }
  | { readonly kind: 'done'; readonly result: ImportResult }
  | { readonly kind: 'failed'; readonly file: string; readonly error: unknown }

export function ImportDialog({ onClose }: { onClose(): void }): ReactNode {
  const queries = useQueryClient()
  const [state, setState] = useState<State>({ kind: 'asking' })
  const isRunning = state.kind === 'running'

  const take = async (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.target.files?.[0]
    // Lets the user choose the same file again after correcting it.
    event.target.value = ''
    if (!file) return
    const { name } = file
    if (file.size > maxBytes)
      return setState({ kind: 'failed', file: name, error: new Error(text('products.import.too-large')) })
    setState({ kind: 'running', file: name, progress: undefined })
    try {
      const csv = decode(await file.arrayBuffer())
      const result = await importFile(csv, (progress) => setState({ kind: 'running', file: name, progress }))
      await queries.invalidateQueries({ queryKey: ['products'] })
      setState({ kind: 'done', result })
    } catch (error) {
      setState({ kind: 'failed', file: name, error })
    }
  }

  return (
    <Dialog
      isOpen
      isHeld={isRunning}
      onClose={onClose}
      title={text('products.import.title')}
      note={text('products.import.note')}
    >
      {state.kind === 'running' ? <Running file={state.file} progress={state.progress} /> : null}
      {state.kind === 'done' ? <Done result={state.result} /> : null}
      {state.kind === 'failed' ? <Failed file={state.file} error={state.error} /> : null}
      {state.kind === 'done' ? (
        <div className="flex justify-end">
          <Button look="main" onClick={onClose}>
            {text('products.import.finish')}
          </Button>
        </div>
      ) : (
        <label
          className={`grid cursor-pointer justify-items-center gap-1 rounded-2xl border-2 border-line border-dashed p-6 text-center focus-within:border-accent hover:bg-soft ${isRunning ? 'pointer-events-none opacity-60' : ''}`}
        >
          <span className="font-semibold text-accent">{text('products.import.choose')}</span>
          <span className="text-dim text-sm">{text('products.import.form')}</span>
          <input
            type="file"
            accept=".csv,.txt,.tsv,text/csv,text/plain"
            disabled={isRunning}
            onChange={(event) => void take(event)}
            className="sr-only"
          />
        </label>
      )}
    </Dialog>
  )
}

/** Decodes UTF-8, little-endian UTF-16 or windows-1252. Spreadsheet programs write all three. */
function decode(bytes: ArrayBuffer): string {
  const [first, second] = new Uint8Array(bytes)
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

function Running({
  file,
  progress,
}: {
  readonly file: string
  readonly progress: ImportProgress | undefined
}): ReactNode {
  const words = progress
    ? text(progress.stage === 'checking' ? 'products.import.checking' : 'products.import.writing', {
        done: progress.done,
        total: progress.total,
      })
    : text('products.import.sending', { file })
  return (
    <div className="grid gap-2">
      <p role="status">{words}</p>
      <progress
        aria-label={words}
        className="h-3 w-full accent-accent"
        max={progress?.total}
        value={progress?.done}
      />
    </div>
  )
}

function Done({ result }: { readonly result: ImportResult }): ReactNode {
  const { created, updated, ignoredColumns } = result
  return (
    <div role="status" className="grid gap-2 rounded-xl bg-good-soft p-4 text-good">
      <p className="font-semibold">
        <span aria-hidden="true">✓ </span>
        {text('products.import.done', { created, updated })}
      </p>
      {ignoredColumns.length > 0 ? (
        <p>{text('products.import.ignored', { columns: ignoredColumns.join(', ') })}</p>
      ) : null}
    </div>
  )
}

function Failed({ file, error }: { readonly file: string; readonly error: unknown }): ReactNode {
  const rows = error instanceof ApiError ? error.issues : []
  if (rows.length === 0) {
    return (
      <p role="alert" className="rounded-xl bg-bad-soft p-4 text-bad">
        {problemText(error)}
      </p>
    )
  }
  const head = (
    <>
      <HeadCell>{text('products.import.line')}</HeadCell>
      <HeadCell>{text('products.import.column')}</HeadCell>
      <HeadCell>{text('products.import.problem')}</HeadCell>
    </>
  )
  return (
    <div className="grid gap-3">
      <p role="alert" className="rounded-xl bg-bad-soft p-4 text-bad">
        {text('products.import.failed', { file, count: rows.length })}
      </p>
      <div className="max-h-[40vh] overflow-y-auto">
        <Table label={text('products.import.problems')} head={head}>
          {rows.map(({ path, message }) => {
            const [, line = '', ...column] = path.split('/')
            return (
              <tr key={`${path} ${message}`}>
                <RowHead className="tabular-nums">{line}</RowHead>
                <Cell className="font-mono text-sm">{column.join('/')}</Cell>
                <Cell>{message}</Cell>
              </tr>
            )
          })}
        </Table>
      </div>
    </div>
  )
}
