import { useState } from 'react'

export const receiptColumns = ['items', 'status', 'amount', 'usd', 'currency', 'brand', 'created'] as const

export type ReceiptColumn = (typeof receiptColumns)[number]

const key = 'sluice:receipt-columns'
const usual: readonly ReceiptColumn[] = ['items', 'status', 'amount', 'created']

export function useColumns(): [readonly ReceiptColumn[], (chosen: readonly ReceiptColumn[]) => void] {
  const [columns, setColumns] = useState(readColumns)
  return [
    columns,
    (chosen) => {
      setColumns(chosen)
      try {
        localStorage.setItem(key, chosen.join(','))
      } catch {
        // Storage is full or blocked. The choice lasts until the page is closed.
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
