// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SplitRows} from "./SplitRows.sol";

/// @title What a split received and released, of every token
/// @notice Per token one storage slot keeps the *level*, everything ever received when it was last
/// distributed, and everything ever released. A payee has been released
/// `floor(level * shares / totalShares) + offset`, its offset being zero but for what it released by itself
/// since (above) or what is held for it (below). So a distribution in which nothing fails writes one slot,
/// however many payees there are, and the figures equal OpenZeppelin's PaymentSplitter's after every operation.
///
/// A distribution of a token that would leave nothing keeps one base unit of the last payee's part, so that the
/// next payment finds the split's balance in use: that saves it 17,100 gas. The unit is due to the payee as
/// before; `release` pays it at once, and the next distribution that leaves anything else pays it as well.
abstract contract SplitBooks is SplitRows {
    /// @notice The split is in the middle of another call.
    error Reentered();
    /// @notice `token` does not answer `balanceOf` as a token does.
    error NotAToken(address token);
    /// @notice More of this token was received than can be counted.
    error TooMuchReceived(uint256 received);

    /// @dev Most base units of a token that can be counted as received.
    uint256 internal constant MAX_UNITS = type(uint120).max;

    /// @dev The low 136 bits of a book.
    uint256 internal constant BELOW_LEVEL = (1 << 136) - 1;
    /// @dev Set when one base unit of the last payee's part was kept.
    uint256 internal constant KEPT = 1 << 15;
    /// @dev The bits below it. Written out: `KEPT - 1` would be computed, and checked, at every use.
    uint256 internal constant OFFSETS = (1 << 15) - 1;

    /// @dev One slot per token, ETH being the zero address: level (120 bits) | released (120 bits) | whether a
    /// unit is kept (1 bit) | how many payees have an offset (15 bits), so that a distribution need not read
    /// offsets when there is none.
    mapping(address token => uint256 book) internal _books;
    mapping(address token => mapping(address account => int256)) internal _offsets;
    bool internal transient _locked;

    modifier lock() {
        if (_locked) revert Reentered();
        _locked = true;
        _;
        _locked = false;
    }

    /// @notice Wei ever released, to all payees.
    function totalReleased() external view returns (uint256) {
        return _releasedOf(_books[address(0)]);
    }

    /// @notice Base units of `token` ever released, to all payees. The zero address gives wei.
    function totalReleased(IERC20 token) external view returns (uint256) {
        return _releasedOf(_books[address(token)]);
    }

    /// @notice Wei ever released to `account`.
    function released(address account) external view returns (uint256) {
        return _released(address(0), account);
    }

    /// @notice Base units of `token` ever released to `account`. The zero address gives wei.
    function released(IERC20 token, address account) external view returns (uint256) {
        return _released(address(token), account);
    }

    /// @notice Wei `account` can be released now.
    function releasable(address account) external view returns (uint256) {
        return _releasable(address(0), account);
    }

    /// @notice Base units of `token` that `account` can be released now. The zero address is no token here.
    function releasable(IERC20 token, address account) external view returns (uint256) {
        return _releasable(_nonZero(token), account);
    }

    /// @dev OpenZeppelin's `_pendingPayment`, with `balance` held now. Reverts, as there, when a token took
    /// back more than the payee has to come.
    function _due(uint256 balance, uint256 book, int256 offset, uint256 share, uint256 all)
        internal
        pure
        returns (uint256)
    {
        uint256 received = balance + _releasedOf(book);
        return received * share / all - _releasedTo(book, offset, share, all);
    }

    /// @dev What a payee with this share was ever released. Never negative.
    function _releasedTo(uint256 book, int256 offset, uint256 share, uint256 all) internal pure returns (uint256) {
        unchecked {
            return uint256(int256(_levelOf(book) * share / all) + offset);
        }
    }

    function _releasable(address token, address account) internal view returns (uint256) {
        (uint256 share, uint256 all, bool isLast) = _share(account);
        uint256 book = _books[token];
        return _due(_held(token), book, _offsetOf(token, account, book, isLast), share, all);
    }

    function _released(address token, address account) internal view returns (uint256) {
        (uint256 share, uint256 all, bool isLast) = _share(account);
        uint256 book = _books[token];
        return _releasedTo(book, _offsetOf(token, account, book, isLast), share, all);
    }

    /// @dev The payee's offset, less the unit that may be kept of it.
    function _offsetOf(address token, address account, uint256 book, bool isLast) internal view returns (int256) {
        unchecked {
            return _offsets[token][account] - int256(isLast ? _keptOf(book) : 0);
        }
    }

    /// @dev What the split holds of `token`, or of ETH.
    function _held(address token) internal view returns (uint256) {
        return token == address(0) ? address(this).balance : _balanceOf(token);
    }

    /// @dev Keeps the functions for tokens off the books of ETH, whose key is the zero address.
    function _nonZero(IERC20 token) internal pure returns (address) {
        if (address(token) == address(0)) revert NotAToken(address(0));
        return address(token);
    }

    function _balanceOf(address token) internal view returns (uint256 amount) {
        bool ok;
        assembly ("memory-safe") {
            mstore(0x00, shl(224, 0x70a08231)) // balanceOf(address)
            mstore(0x04, address())
            ok := staticcall(gas(), token, 0x00, 0x24, 0x00, 0x20)
            ok := and(ok, gt(returndatasize(), 0x1f))
            amount := mload(0x00)
        }
        if (!ok) revert NotAToken(token);
    }

    function _levelOf(uint256 book) internal pure returns (uint256) {
        return book >> 136;
    }

    function _releasedOf(uint256 book) internal pure returns (uint256) {
        return (book & BELOW_LEVEL) >> 16;
    }

    function _offsetsOf(uint256 book) internal pure returns (uint256) {
        return book & OFFSETS;
    }

    /// @dev Base units kept of the last payee's part: one or none.
    function _keptOf(uint256 book) internal pure returns (uint256) {
        return (book & KEPT) >> 15;
    }
}
