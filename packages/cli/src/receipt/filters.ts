import type { ExportReceiptsQuery } from '../../../sdk/src/sluice.ts'
import type { Input, Option } from '../command.ts'
import { readInteger, readMoney } from '../parse-arguments.ts'

export const filterOptions: Readonly<Record<string, Option>> = {
  status: { value: 'LIST', help: 'statuses, separated by commas' },
  from: { value: 'TIME', help: 'created at this time or later, Unix milliseconds' },
  to: { value: 'TIME', help: 'created before this time, Unix milliseconds' },
  search: {
    value: 'TEXT',
    help: 'id, transaction hash, e-mail address, reference or value of the metadata',
  },
  currency: { value: 'CODE', help: 'USD or EUR' },
  min: { value: 'AMOUNT', help: 'smallest total, in the currency of the filter or in US dollars' },
  max: { value: 'AMOUNT', help: 'largest total, in the currency of the filter or in US dollars' },
  sort: { value: 'ORDER', help: '-createdAt (default), createdAt, -amount or amount' },
}

export function readFilters(input: Input): ExportReceiptsQuery {
  const amount = (name: string) => {
    const given = input.text(name)
    return given === undefined ? undefined : readMoney(given, `--${name}`)
  }
  return {
    status: input.text('status'),
    q: input.text('search'),
    currency: input.text('currency') as ExportReceiptsQuery['currency'],
    sort: input.text('sort') as ExportReceiptsQuery['sort'],
    from: readInteger(input, 'from', { min: 0, max: Number.MAX_SAFE_INTEGER }),
    to: readInteger(input, 'to', { min: 0, max: Number.MAX_SAFE_INTEGER }),
    min: amount('min'),
    max: amount('max'),
  }
}
