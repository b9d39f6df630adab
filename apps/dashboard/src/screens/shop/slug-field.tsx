import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { api, contentOf } from '../../api/client.ts'
import type { TextKey } from '../../messages/catalogue.ts'
import { text } from '../../messages/messages.ts'
import { TextField } from '../../parts/field.tsx'

const pauseMs = 250

export function SlugField({
  value,
  error,
  onChange,
}: {
  readonly value: string
  readonly error: string | undefined
  onChange(value: string): void
}): ReactNode {
  const [asked, setAsked] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setAsked(value), pauseMs)
    return () => clearTimeout(timer)
  }, [value])
  const check = useQuery({
    queryKey: ['slug', asked],
    enabled: asked !== '',
    placeholderData: keepPreviousData,
    queryFn: () => contentOf(api.GET('/api/shop/slugs/{slug}', { params: { path: { slug: asked } } })),
  })
  // Ignores a result for another slug.
  const state = value !== '' && check.data?.slug === value ? check.data.state : undefined
  const isGood = state === 'free' || state === 'yours'
  const isBad = state !== undefined && !isGood
  const reported = state === undefined ? undefined : text(`shop.slug.${state}` as TextKey)
  return (
    <div className="grid gap-1">
      <TextField
        label={text('shop.slug')}
        hint={text('shop.slug.hint', {
          address: `${location.origin}/shop/${value || text('shop.slug.sample')}`,
        })}
        value={value}
        maxLength={48}
        spellCheck={false}
        autoCapitalize="none"
        error={error ?? (isBad ? reported : undefined)}
        onChange={(event) => onChange(event.target.value.trim().toLowerCase())}
      />
      <p role="status" className="text-good text-sm empty:hidden">
        {isGood && !error ? `✓ ${reported}` : ''}
      </p>
    </div>
  )
}
