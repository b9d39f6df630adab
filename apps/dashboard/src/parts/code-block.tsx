import type { ReactNode } from 'react'
import { CopyButton } from './copy-button.tsx'

export function CodeBlock({ label, code }: { readonly label: string; readonly code: string }): ReactNode {
  return (
    <figure className="min-w-0 overflow-hidden rounded-xl border border-line bg-page">
      <figcaption className="flex items-center justify-between gap-3 border-line border-b bg-soft px-3 py-1.5 font-medium text-sm">
        {label}
        <CopyButton value={code} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it */}
      <pre tabIndex={0} className="max-h-96 overflow-auto p-4 text-sm">
        <code dir="ltr">{code}</code>
      </pre>
    </figure>
  )
}
