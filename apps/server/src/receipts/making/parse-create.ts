import type { CreateReceiptRequest } from '@sluice/protocol/api/receipts/receipts.ts'
import { parseReceiptId, type ReceiptId, receiptIdText } from '@sluice/protocol/receipt-id.ts'
import { type Issue, invalidInput } from '../../kernel/api-error.ts'
import { errorOfJurisdiction } from '../../pricing/taxes/tax-rate.ts'
import type { Tax } from '../receipt.ts'
import { parseLines, type RequestedLines } from './parse-lines.ts'
import { hashContent, parseOptions, type ReceiptOptions } from './parse-options.ts'

export type ReceiptRequest = RequestedLines &
  ReceiptOptions & {
    readonly id: ReceiptId
    readonly tax: Tax | undefined
    /** Hash of the fields above. Equal content has equal hashes, whatever alias the caller used. */
    readonly contentHash: string
  }

/**
 * Parses a create request from a body that passed its schema.
 *
 * @throws {ApiError} `invalid_input` with every issue.
 */
export function parseCreateReceipt(
  body: CreateReceiptRequest,
  options: { isProduction: boolean },
): ReceiptRequest {
  const issues: Issue[] = []
  const error = (path: string, message: string) => void issues.push({ path, message })
  const id = parseReceiptId(body.id)
  if (!id) error('id', receiptIdText)
  const lines = parseLines(body, error)
  const request = { ...parseOptions(body, options, issues), tax: parseTax(body, error) }
  if (!id || !lines || issues.length > 0) throw invalidInput(...issues)
  const parsed = { id, ...lines, ...request }
  return { ...parsed, contentHash: hashContent(parsed) }
}

function parseTax(
  body: CreateReceiptRequest,
  error: (path: string, message: string) => void,
): Tax | undefined {
  const jurisdictionCode = body.jurisdictionCode?.toUpperCase()
  const wrong = jurisdictionCode === undefined ? undefined : errorOfJurisdiction(jurisdictionCode)
  if (wrong !== undefined) error('jurisdictionCode', wrong)
  if (body.taxRate !== undefined && !/^(\d+(\.\d{1,6})?|[1-9]e-6)$/.test(String(body.taxRate))) {
    error('taxRate', 'must be a fraction with at most six decimals, for example 0.095')
  }
  const { taxRate, taxComponents } = body
  if (jurisdictionCode === undefined && taxRate === undefined && taxComponents === undefined) return undefined
  return { jurisdictionCode, taxRate, taxComponents }
}
