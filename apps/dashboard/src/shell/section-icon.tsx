import type { ReactNode } from 'react'
import type { sections } from './sections.ts'

/** SVG paths in a view box of 20 × 20. */
const strokes: Readonly<Record<(typeof sections)[number]['to'], string>> = {
  '/overview': 'M3 17V9m4.7 8V5m4.6 12v-6M17 17V3',
  '/receipts': 'M4.5 2.5h11v15l-2.2-1.6-2.2 1.6L10 16.2l-1.1 1.3-2.2-1.6-2.2 1.6zM7.5 7h5m-5 3.5h5',
  '/refunds': 'M7 4 3 8l4 4M3.5 8H12a4.5 4.5 0 0 1 0 9H7',
  '/unmatched':
    'M10 17.5a7.5 7.5 0 1 1 0-15 7.5 7.5 0 0 1 0 15zM7.8 7.9a2.2 2.2 0 1 1 3 2.1c-.5.2-.8.7-.8 1.2m0 2.6v.1',
  '/products': 'M10 2.5l6.5 3.6v7.8L10 17.5l-6.5-3.6V6.1zM3.7 6.2 10 9.7l6.3-3.5M10 9.7v7.6',
  '/orders': 'M2.5 3h2l2 9.5h8.5l2-7H5.2M8 16.5v.1m6-.1v.1',
  '/terminal':
    'M5 2.5h10v15H5zM7.5 5.5h5v3h-5zM7.7 11.5v.1m2.3-.1v.1m2.3-.1v.1M7.7 14.5v.1m2.3-.1v.1m2.3-.1v.1',
  '/split': 'M10 17.5v-6c0-3-5-3-5-7.5m5 7.5c0-3 5-3 5-7.5M2.8 6 5 3.5 7.2 6m5.6 0L15 3.5 17.2 6',
  '/shop':
    'M3 8V17h14V8M2.5 7.5 4 3h12l1.5 4.5c0 2.5-3.7 2.5-3.8 0 0 2.5-3.7 2.5-3.7 0 0 2.5-3.7 2.5-3.8 0-.1 2.5-3.7 2.5-3.7 0zM8 17v-4.5h4V17',
  '/site':
    'M10 17.5a7.5 7.5 0 1 1 0-15 7.5 7.5 0 0 1 0 15zM2.7 10h14.6M10 2.7c-4.5 4.5-4.5 10.1 0 14.6 4.5-4.5 4.5-10.1 0-14.6z',
  '/developers': 'M6.5 5.5 2 10l4.5 4.5m7-9L18 10l-4.5 4.5M11.5 3.5l-3 13',
  '/team':
    'M7.5 9.5a3 3 0 1 1 0-6 3 3 0 0 1 0 6zM2 16.5c0-5.3 11-5.3 11 0M13 3.8a3 3 0 0 1 0 5.5m2 2.7c2 .6 3 2.2 3 4.5',
  '/security': 'M10 2.5l6.5 2.3v5c0 3.7-2.7 6.3-6.5 7.7-3.8-1.4-6.5-4-6.5-7.7v-5zM7.3 10l2 2 3.5-4',
  '/settings':
    'M3 6h7m4 0h3M3 14h3m4 0h7M12 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4zm-4 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
}

export function SectionIcon({ to }: { readonly to: keyof typeof strokes }): ReactNode {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 20 20"
      className="size-5 shrink-0 fill-none stroke-current"
      strokeWidth={1.5}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={strokes[to]} />
    </svg>
  )
}
