import type { ReactNode } from 'react'
import { text } from '../../messages/messages.ts'
import { PageHeader } from '../../parts/page-header.tsx'
import { Checklist } from './checklist.tsx'

/** The checklist on a screen of its own. */
export function Start(): ReactNode {
  return (
    <>
      <PageHeader title={text('checklist.start')} note={text('checklist.start.note')} />
      <Checklist />
    </>
  )
}
