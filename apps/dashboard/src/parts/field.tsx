import { type ComponentProps, type ReactNode, useId } from 'react'

type Around = {
  readonly label: string
  readonly hint?: ReactNode
  readonly error?: string | undefined
  readonly isLabelHidden?: boolean
}

const box =
  'min-h-11 w-full min-w-0 rounded-xl border border-line bg-card px-3 py-2 text-ink aria-invalid:border-bad disabled:opacity-60'

type Control = {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': boolean
  readonly className: string
}

function Field({
  label,
  hint,
  error,
  isLabelHidden,
  children,
}: Around & { readonly children: (control: Control) => ReactNode }) {
  const id = useId()
  const described = [hint ? `${id}-hint` : '', error ? `${id}-error` : ''].filter(Boolean).join(' ')
  return (
    <div className="grid min-w-0 content-start gap-1.5">
      <label htmlFor={id} className={isLabelHidden ? 'sr-only' : 'font-medium'}>
        {label}
      </label>
      {children({
        id,
        'aria-describedby': described || undefined,
        'aria-invalid': Boolean(error),
        className: box,
      })}
      {hint ? (
        <div id={`${id}-hint`} className="text-dim text-sm">
          {hint}
        </div>
      ) : null}
      <div id={`${id}-error`} role="alert" className="text-bad text-sm empty:hidden">
        {error}
      </div>
    </div>
  )
}

function apart<Props extends Around>({ label, hint, error, isLabelHidden = false, ...rest }: Props) {
  return { around: { label, hint, error, isLabelHidden }, rest }
}

/** A single-line input. Accepts the props of react-hook-form's `register`. */
export function TextField(props: Around & ComponentProps<'input'>): ReactNode {
  const { around, rest } = apart(props)
  return (
    <Field {...around}>{(control) => <input type="text" autoComplete="off" {...rest} {...control} />}</Field>
  )
}

export function LongField(props: Around & ComponentProps<'textarea'>): ReactNode {
  const { around, rest } = apart(props)
  return <Field {...around}>{(control) => <textarea rows={4} {...rest} {...control} />}</Field>
}

export function SelectField(props: Around & ComponentProps<'select'>): ReactNode {
  const { around, rest } = apart(props)
  return <Field {...around}>{(control) => <select {...rest} {...control} />}</Field>
}

export function CheckField({
  label,
  hint,
  ...rest
}: { readonly label: ReactNode; readonly hint?: ReactNode } & ComponentProps<'input'>): ReactNode {
  const id = useId()
  return (
    <div className="flex gap-3 py-1">
      <input
        type="checkbox"
        {...rest}
        id={id}
        aria-describedby={hint ? `${id}-hint` : undefined}
        className="mt-0.5 size-6 shrink-0 accent-accent"
      />
      <div className="grid gap-0.5">
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        {hint ? (
          <div id={`${id}-hint`} className="text-dim text-sm">
            {hint}
          </div>
        ) : null}
      </div>
    </div>
  )
}
