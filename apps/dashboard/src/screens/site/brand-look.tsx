import { pageFonts } from '@sluice/protocol/page-fonts.ts'
import type { ReactNode } from 'react'
import type { FieldErrors, UseFormRegister } from 'react-hook-form'
import { text } from '../../messages/messages.ts'
import { Card } from '../../parts/card.tsx'
import { SelectField, TextField } from '../../parts/field.tsx'
import type { BrandValues } from './brand-values.ts'

export function BrandLook({
  register,
  errors,
}: {
  readonly register: UseFormRegister<BrandValues>
  readonly errors: FieldErrors<BrandValues>
}): ReactNode {
  return (
    <Card title={text('site.look')} note={text('site.look.note')}>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={text('site.logo')}
          hint={text('site.picture.hint')}
          type="url"
          error={errors.brandLogoUrl?.message}
          {...register('brandLogoUrl')}
        />
        <TextField
          label={text('site.favicon')}
          hint={text('site.picture.hint')}
          type="url"
          error={errors.brandFaviconUrl?.message}
          {...register('brandFaviconUrl')}
        />
        <TextField
          label={text('site.background')}
          hint={text('site.background.hint')}
          type="url"
          error={errors.receiptBackgroundUrl?.message}
          {...register('receiptBackgroundUrl')}
        />
        <SelectField label={text('site.font')} {...register('fontFamily')}>
          <option value="">{text('site.font.system')}</option>
          {pageFonts.map((font) => (
            <option key={font}>{font}</option>
          ))}
        </SelectField>
        <TextField
          label={text('site.primary')}
          hint={text('site.colour.hint')}
          error={errors.primaryColor?.message}
          {...register('primaryColor')}
        />
        <TextField
          label={text('site.secondary')}
          hint={text('site.colour.hint')}
          error={errors.secondaryColor?.message}
          {...register('secondaryColor')}
        />
      </div>
    </Card>
  )
}
