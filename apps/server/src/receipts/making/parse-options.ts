import { hash } from 'node:crypto'
import { billingAliases, type ReceiptOptionsRequest } from '@sluice/protocol/api/receipts/receipts.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Issue } from '../../kernel/api-error.ts'
import { parseWebhookUrl } from '../../webhooks/check-target.ts'
import type { Billing, Receipt } from '../receipt.ts'

/** Optional fields of a receipt, with aliases resolved. */
export type ReceiptOptions = Pick<
  Receipt,
  | 'redirectUrl'
  | 'returnUrl'
  | 'webhookUrl'
  | 'onSuccess'
  | 'providerEmail'
  | 'billing'
  | 'metadata'
  | 'transactionId'
> & { readonly expiresAt: UnixMs | undefined }

/** Issue for an `expiresAt` that is not in the future. */
export const pastExpiry: Issue = { path: 'expiresAt', message: 'must be in the future' }

const maxMetadataBytes = 8 * 1024

/** Parses the options of a body that passed its schema. Adds every problem to `issues`. */
export function parseOptions(
  body: ReceiptOptionsRequest,
  options: { isProduction: boolean },
  issues: Issue[],
): ReceiptOptions {
  const error = (path: string, message: string) => void issues.push({ path, message })
  const aliased: Aliased = (names) => {
    let first: Name | undefined
    for (const name of names) {
      if (body[name] === undefined) continue
      first ??= name
      if (body[name] !== body[first]) {
        error(name, `differs from its alias ${first}`)
        break
      }
    }
    return first && (body[first] as string)
  }
  const httpsUrl = (value: string | undefined, path: string): string | undefined => {
    if (value === undefined) return undefined
    const url = URL.canParse(value) ? new URL(value) : undefined
    const isAllowed = url?.protocol === 'https:' || (url?.protocol === 'http:' && !options.isProduction)
    if (!url || !isAllowed || url.username !== '' || url.password !== '') error(path, 'must be an https URL')
    return value
  }
  const redirectUrl = httpsUrl(aliased(redirectNames), 'redirect_url')
  const returnUrl = httpsUrl(aliased(returnNames), 'returnUrl')
  const webhookUrl = aliased(webhookNames)
  if (webhookUrl !== undefined) {
    const target = parseWebhookUrl(webhookUrl, options)
    if (typeof target === 'string') error('webhook_url', `cannot be used: ${target.replaceAll('-', ' ')}`)
  }
  if (body.metadata && Buffer.byteLength(JSON.stringify(body.metadata)) > maxMetadataBytes) {
    error('metadata', `must not exceed ${maxMetadataBytes} bytes of JSON`)
  }
  return {
    redirectUrl,
    returnUrl,
    webhookUrl,
    onSuccess: body.onSuccess,
    providerEmail: body.providerEmail,
    billing: parseBilling(body, aliased),
    metadata: body.metadata,
    transactionId: aliased(transactionNames),
    expiresAt: body.expiresAt as UnixMs | undefined,
  }
}

type Name = keyof ReceiptOptionsRequest
type Aliased = (names: readonly Name[]) => string | undefined

const redirectNames = ['redirect_url', 'redirectUrl'] as const
const returnNames = ['returnUrl', 'return_url'] as const
const webhookNames = ['webhook_url', 'webhookUrl'] as const
const transactionNames = ['transactionId', 'clientTransactionId'] as const

function namesOf(name: keyof typeof billingAliases): readonly Name[] {
  return [name, ...billingAliases[name]]
}

const billingNames = [
  ['firstName', namesOf('billingFirstName')],
  ['lastName', namesOf('billingLastName')],
  ['email', namesOf('billingEmail')],
  ['phone', namesOf('billingPhone')],
  ['line1', namesOf('billingAddressLine1')],
  ['line2', namesOf('billingAddressLine2')],
  ['city', namesOf('billingAddressCity')],
  ['state', namesOf('billingAddressState')],
  ['zip', namesOf('billingAddressPostalCode')],
  ['country', namesOf('billingAddressCountry')],
] as const

function parseBilling(body: ReceiptOptionsRequest, aliased: Aliased): Billing | undefined {
  let billing: Record<string, string> | undefined
  for (const [field, names] of billingNames) {
    // The provider's e-mail is the fallback for a missing billing e-mail.
    const given = aliased(names) ?? (field === 'email' ? body.providerEmail : undefined)
    if (given === undefined) continue
    billing ??= {}
    billing[field] = given
  }
  return billing
}

/**
 * Returns the SHA-256 of a receipt's content. Equal content has equal hashes, whatever alias the caller used.
 */
export function hashContent(content: Readonly<Record<string, unknown>>): string {
  return hash('sha256', canonical(content), 'hex')
}

/** Returns JSON with sorted keys, without undefined fields, and with bigints as text. */
function canonical(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'bigint') return `"${value}n"`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  const fields = value as Readonly<Record<string, unknown>>
  const keys = Object.keys(fields).filter((key) => fields[key] !== undefined)
  let text = ''
  for (const key of keys.sort()) {
    const name = /^\w+$/.test(key) ? `"${key}"` : JSON.stringify(key)
    text += `${text === '' ? '' : ','}${name}:${canonical(fields[key])}`
  }
  return `{${text}}`
}
