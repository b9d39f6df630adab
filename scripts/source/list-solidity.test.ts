import { expect, test } from 'vitest'
import { listSolidity } from './list-solidity.ts'

const text = `
// contract Nothing {
interface Token { function move(uint256 amount) external; }

/// @dev A { in a comment.
abstract contract Box is Base {
    uint256 internal constant MOST = type(uint120).max;
    error Full(string why);

    modifier lock() {
        if (_locked) revert Full("{");
        _;
    }

    constructor() { _locked = false; }

    function put(Token token) external lock { if (true) { token.move(1); } }
    function put(uint256 amount) external { _put(amount); }
}
`

const found = listSolidity('Box.sol', text).map(({ name, start, end }) => [name, text.slice(start, end)])

test('contracts, functions, modifiers and constants are found under their full names, comments left out', () => {
  const ofBox = ['Box', 'Box.MOST', 'Box.lock', 'Box.constructor', 'Box.put', 'Box.put']
  expect(found.map(([name]) => name)).toEqual(['Token', 'Token.move', ...ofBox])
})

test('each reaches from its first word to its last sign', () => {
  const textOf = (name: string) => found.find(([each]) => each === name)?.[1]
  expect(textOf('Box.MOST')).toBe('uint256 internal constant MOST = type(uint120).max;')
  expect(textOf('Box.constructor')).toBe('constructor() { _locked = false; }')
  expect(textOf('Box.lock')).toMatch(/^modifier lock\(\) \{[^}]*_;\n {4}\}$/)
  expect(textOf('Box.put')).toBe('function put(Token token) external lock { if (true) { token.move(1); } }')
})
