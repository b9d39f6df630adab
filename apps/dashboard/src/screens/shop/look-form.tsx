import { pageFonts } from '@sluice/protocol/page-fonts.ts'
import type { ReactNode } from 'react'
import type { TextKey } from '../../messages/catalogue.ts'
import { text } from '../../messages/messages.ts'
import { Card } from '../../parts/card.tsx'
import { SelectField, TextField } from '../../parts/field.tsx'
import { ColourField } from './colour-field.tsx'
import { colourFields, correctionsOf, familyOf } from './look.ts'
import type { ShopTheme } from './shop-config.ts'

const sizes = ['microtext', 'small', 'medium', 'large', 'xlarge'] as const

export function LookForm({
  theme,
  issues,
  onChange,
}: {
  readonly theme: ShopTheme
  readonly issues: readonly { readonly path: string; readonly message: string }[]
  onChange(change: Partial<ShopTheme>): void
}): ReactNode {
  const corrections = correctionsOf(theme)
  const errorOf = (field: keyof ShopTheme) => issues.find(({ path }) => path === `theme/${field}`)?.message
  return (
    <>
      <Card title={text('shop.look.colours')}>
        <div className="grid gap-4">
          {colourFields.map((field) => (
            <ColourField
              key={field}
              label={text(`shop.look.${field}` as TextKey)}
              hint={text(`shop.look.${field}.hint` as TextKey)}
              value={theme[field]}
              correction={corrections[field]}
              error={errorOf(field)}
              onChange={(value) => onChange({ [field]: value })}
            />
          ))}
        </div>
      </Card>
      <Card title={text('shop.look.pictures')}>
        <div className="grid gap-4">
          <TextField
            label={text('shop.look.logo')}
            hint={text('shop.look.logo.hint')}
            type="url"
            maxLength={2048}
            value={theme.brandLogoUrl}
            error={errorOf('brandLogoUrl')}
            onChange={(event) => onChange({ brandLogoUrl: event.target.value.trim() })}
          />
          <SelectField
            label={text('shop.look.shape')}
            value={theme.logoShape}
            onChange={(event) => onChange({ logoShape: event.target.value as ShopTheme['logoShape'] })}
          >
            <option value="square">{text('shop.look.shape.square')}</option>
            <option value="circle">{text('shop.look.shape.circle')}</option>
          </SelectField>
          <TextField
            label={text('shop.look.cover')}
            hint={text('shop.look.cover.hint')}
            type="url"
            maxLength={2048}
            value={theme.coverPhotoUrl}
            error={errorOf('coverPhotoUrl')}
            onChange={(event) => onChange({ coverPhotoUrl: event.target.value.trim() })}
          />
        </div>
      </Card>
      <Card title={text('shop.look.type')}>
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField
            label={text('shop.look.font')}
            value={familyOf(theme.fontFamily)}
            onChange={(event) => onChange({ fontFamily: event.target.value })}
          >
            <option value="">{text('shop.look.font.system')}</option>
            {pageFonts.map((font) => (
              <option key={font}>{font}</option>
            ))}
          </SelectField>
          <SelectField
            label={text('shop.look.hero')}
            value={theme.heroFontSize}
            onChange={(event) => onChange({ heroFontSize: event.target.value as ShopTheme['heroFontSize'] })}
          >
            {sizes.map((size) => (
              <option key={size} value={size}>
                {text(`shop.look.hero.${size}` as TextKey)}
              </option>
            ))}
          </SelectField>
        </div>
      </Card>
    </>
  )
}
