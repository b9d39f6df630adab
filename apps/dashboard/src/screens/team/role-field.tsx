import type { ComponentProps, ReactNode } from 'react'
import { text } from '../../messages/messages.ts'
import { SelectField } from '../../parts/field.tsx'
import { roleName } from '../../shell/forbidden.tsx'
import { memberRoles } from './member.ts'

export function RoleField(rest: ComponentProps<'select'>): ReactNode {
  return (
    <SelectField label={text('team.column.role')} {...rest}>
      {memberRoles.map((role) => (
        <option key={role} value={role}>
          {roleName(role)}
        </option>
      ))}
    </SelectField>
  )
}
