import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { text } from '../messages/messages.ts'
import { Notice } from '../parts/notice.tsx'
import { PageHeader } from '../parts/page-header.tsx'

export function NotFound(): ReactNode {
  return (
    <>
      <PageHeader title={text('app.not-found.title')} />
      <Notice title={text('app.not-found.heading')}>
        <p>{text('app.not-found.text')}</p>
        <Link to="/" className="py-1 text-accent underline underline-offset-4">
          {text('app.not-found.link')}
        </Link>
      </Notice>
    </>
  )
}
