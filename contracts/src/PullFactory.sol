// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {LibClone} from "solady/utils/LibClone.sol";
import {IPermit2} from "./IPermit2.sol";
import {Puller} from "./Puller.sol";

/// @title Pays a deposit address by a buyer's EIP-2612 or Permit2 signature, whoever submits it
/// @notice By a permit: every payment has an address of its own, its puller, which follows from the deposit address, the
/// token, the amount and the deadline. The buyer's permit has the puller as its spender. By Permit2: the buyer's
/// signature names this contract as the spender, and the deposit address beside the token, the amount and the deadline.
/// Either way, whoever submits it, that amount of that token goes to that deposit address before the deadline, or
/// nothing goes anywhere. Anyone may call any function here; the most a stranger can do is pay the gas. There is no
/// owner, no upgrade, no pause.
contract PullFactory {
    IPermit2 private constant PERMIT2 = IPermit2(0x000000000022D473030F116dDEE9F6B43aC78BA3);
    bytes32 private constant PAYMENT_TYPEHASH = keccak256("Payment(address to)");
    string private constant WITNESS_TYPE =
        "Payment witness)Payment(address to)TokenPermissions(address token,uint256 amount)";

    address private immutable PULLER_IMPLEMENTATION = address(new Puller());

    /// @notice The payment's deadline has passed.
    error PullExpired(uint256 deadline);

    /// @notice The contract all pullers delegate to.
    function pullerImplementation() external view returns (address) {
        return PULLER_IMPLEMENTATION;
    }

    /// @notice The spender of the permit that pays `amount` of `token` to `deposit` until `deadline`.
    /// @dev Has no code until its first pull.
    /// @param amount Base units of the token.
    /// @param deadline Unix seconds, inclusive; the same as in the permit.
    function pullerAddress(address deposit, address token, uint256 amount, uint256 deadline)
        external
        view
        returns (address)
    {
        bytes32 salt = _salt(deposit, token, amount, deadline);
        return LibClone.predictDeterministicAddress(PULLER_IMPLEMENTATION, salt, address(this));
    }

    /// @notice Pays `amount` of `token` from `owner` to `deposit`, by its permit to the puller of this payment.
    /// @dev A permit that fails is no reason to stop: somebody may have used it first, and then the allowance
    /// stands. `transferFrom` decides.
    function pullWithPermit(
        address deposit,
        address token,
        uint256 amount,
        uint256 deadline,
        address owner,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        // A permit is used up by then too, but not the allowance of one that somebody used before.
        if (block.timestamp > deadline) revert PullExpired(deadline);
        address puller = _puller(deposit, token, amount, deadline);
        try IERC20Permit(token).permit(owner, puller, amount, deadline, v, r, s) {} catch {}
        Puller(puller).pull(token, owner, deposit, amount);
    }

    /// @notice Pays `amount` of `token` from `owner` to `deposit`, by its signature for Permit2, which it has approved.
    /// @dev The signature is of `PermitWitnessTransferFrom` with this contract as the spender, `Payment(deposit)` as the
    /// witness, and `permit2Nonce` as the nonce. Permit2 judges all of it, and the deadline, which is inclusive.
    function pullWithPermit2(
        address deposit,
        address token,
        uint256 amount,
        uint256 deadline,
        address owner,
        bytes calldata signature
    ) external {
        PERMIT2.permitWitnessTransferFrom(
            IPermit2.PermitTransferFrom(
                IPermit2.TokenPermissions(token, amount), permit2Nonce(deposit, token, amount), deadline
            ),
            IPermit2.SignatureTransferDetails(deposit, amount),
            owner,
            keccak256(abi.encode(PAYMENT_TYPEHASH, deposit)),
            WITNESS_TYPE,
            signature
        );
    }

    /// @notice The nonce of the Permit2 signature that pays `amount` of `token` to `deposit`.
    /// @dev It leaves the deadline out, and Permit2 takes each nonce of an owner once: so who signs for the same payment
    /// twice, with two deadlines, pays it once.
    function permit2Nonce(address deposit, address token, uint256 amount) public pure returns (uint256) {
        return uint256(keccak256(abi.encode(deposit, token, amount)));
    }

    /// @dev The puller of a payment, made if need be.
    function _puller(address deposit, address token, uint256 amount, uint256 deadline)
        private
        returns (address puller)
    {
        bytes32 salt = _salt(deposit, token, amount, deadline);
        puller = LibClone.predictDeterministicAddress(PULLER_IMPLEMENTATION, salt, address(this));
        if (puller.code.length == 0) LibClone.cloneDeterministic(PULLER_IMPLEMENTATION, salt);
    }

    function _salt(address deposit, address token, uint256 amount, uint256 deadline)
        private
        pure
        returns (bytes32)
    {
        return keccak256(abi.encode(deposit, token, amount, deadline));
    }
}
