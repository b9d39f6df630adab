// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {SplitBooks} from "./SplitBooks.sol";

/// @dev The part of EIP-3009 a split calls, in the overload that also takes smart accounts' signatures.
interface IERC3009 {
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes memory signature
    ) external;
}

/// @title The ways to pay a split under a reference
/// @notice A reference is 32 random bytes that belong to one payment attempt; whoever relays a payment
/// cannot change it.
abstract contract SplitPayments is SplitBooks {
    /// @notice A payment under a reference arrived: `amount` base units of `token` (zero address: wei).
    event Payment(bytes32 indexed receiptRef, address indexed token, address indexed payer, uint256 amount);

    /// @notice A payment brought nothing.
    error NothingReceived();
    /// @notice The token answered a transfer to the split with something else than true.
    error TransferRefused();

    /// @notice Pays the ETH sent, under `ref`.
    /// @param ref The payment attempt's reference: 32 random bytes.
    function pay(bytes32 ref) external payable {
        _onlySplit();
        if (msg.value == 0) revert NothingReceived();
        emit Payment(ref, address(0), msg.sender, msg.value);
    }

    /// @notice Pays `amount` base units of `token` out of the caller's allowance, under `ref`.
    function payToken(address token, uint256 amount, bytes32 ref) external lock {
        _payToken(token, amount, ref);
    }

    /// @notice As `payToken`, with the allowance given by the caller's EIP-2612 signature in the same call.
    /// @dev A permit that fails is no reason to stop: somebody may have used it first, and then the allowance
    /// stands. `transferFrom` decides.
    function payWithPermit(
        address token,
        uint256 amount,
        bytes32 ref,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external lock {
        try IERC20Permit(token).permit(msg.sender, address(this), amount, deadline, v, r, s) {} catch {}
        _payToken(token, amount, ref);
    }

    /// @notice Pays `value` base units of `token` out of `from`'s balance by its EIP-3009 signature, under
    /// `ref`. Anyone may submit it and pays the gas; only this contract can use the signature.
    /// @dev The nonce signed is `keccak256(abi.encode(ref, salt))`: whoever submits it cannot choose another
    /// reference. `salt` lets one payer pay one reference twice.
    /// @param validAfter Unix seconds, exclusive.
    /// @param validBefore Unix seconds, exclusive.
    function payWithAuthorization(
        address token,
        address from,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 ref,
        bytes32 salt,
        bytes calldata signature
    ) external lock {
        _onlySplit();
        uint256 before = _balanceOf(token);
        IERC3009(token).receiveWithAuthorization(
            from, address(this), value, validAfter, validBefore, keccak256(abi.encode(ref, salt)), signature
        );
        _recordPayment(token, from, value, ref, before);
    }

    function _payToken(address token, uint256 amount, bytes32 ref) internal {
        _onlySplit();
        uint256 before = _balanceOf(token);
        _take(token, amount);
        _recordPayment(token, msg.sender, amount, ref, before);
    }

    /// @dev `SafeERC20.safeTransferFrom` of the caller's tokens, at half its gas: a revert is handed on, an
    /// answer must be true or nothing. That there is code is known: it answered `balanceOf`.
    function _take(address token, uint256 amount) internal {
        bool refused;
        assembly ("memory-safe") {
            let input := mload(0x40)
            mstore(input, shl(224, 0x23b872dd)) // transferFrom(address,address,uint256)
            mstore(add(input, 0x04), caller())
            mstore(add(input, 0x24), address())
            mstore(add(input, 0x44), amount)
            if iszero(call(gas(), token, 0, input, 0x64, 0x00, 0x20)) {
                returndatacopy(input, 0, returndatasize())
                revert(input, returndatasize())
            }
            let answer := returndatasize()
            refused := iszero(or(iszero(answer), and(gt(answer, 0x1f), eq(mload(0x00), 1))))
        }
        if (refused) revert TransferRefused();
    }

    /// @dev Counts what arrived: less than `asked` from a token that takes a fee, never more. What else came
    /// in during the call (a deposit swept from inside a token's hook) was paid under another reference.
    function _recordPayment(address token, address payer, uint256 asked, bytes32 ref, uint256 before) internal {
        uint256 arrived = _balanceOf(token) - before;
        if (arrived > asked) arrived = asked;
        if (arrived == 0) revert NothingReceived();
        emit Payment(ref, token, payer, arrived);
    }
}
