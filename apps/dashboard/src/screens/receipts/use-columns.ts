import { useState } from 'react'

/** The columns of the list that can be chosen, in their order. */
export const receiptColumns = ['items', 'status', 'amount', 'usd', 'currency', 'brand', 'created'] as const

/** One of {@link receiptColumns}. */
export type ReceiptColumn = (typeof receiptColumns)[number]

const key = 'sluice:receipt-columns'
const usual: readonly ReceiptColumn[] = ['items', 'status', 'amount', 'created']

/** The columns somebody has chosen in this browser, kept for the next time. */
export function useColumns(): [readonly ReceiptColumn[], (chosen: readonly ReceiptColumn[]) => void] {
  const [columns, setColumns] = useState(readColumns)
  return [
    columns,
    (chosen) => {
      setColumns(chosen)
      try {
        localStorage.setItem(key, chosen.join(','))
      } catch {
        // Storage is full or forbidden: the choice holds until the next visit.
      }
    },
  ]
}

function readColumns(): readonly ReceiptColumn[] {
  try {
    const kept = localStorage.getItem(key)
    return kept === null ? usual : receiptColumns.filter((column) => kept.split(',').includes(column))
  } catch {
    return usual
  }
}
