// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Permit2Bench} from "../mocks/Permit2Bench.sol";
import {vm} from "../mocks/Vm.sol";

contract PullFactoryPermit2Fuzz is Permit2Bench {
    struct Payment {
        address deposit;
        address token;
        uint256 amount;
    }

    function testFuzz_aNonceIsOfOnePayment(Payment calldata one, Payment calldata other) external view {
        bool isSame = keccak256(abi.encode(one)) == keccak256(abi.encode(other));
        vm.assertTrue((nonceOf(one) == nonceOf(other)) == isSame, "one nonce each");
        Payment memory near = one;
        unchecked {
            near.amount += 1;
        }
        vm.assertTrue(nonceOf(near) != nonceOf(one), "not for another amount");
        near = one;
        near.deposit = address(uint160(one.deposit) ^ 1);
        vm.assertTrue(nonceOf(near) != nonceOf(one), "not for another deposit");
        near = one;
        near.token = address(uint160(one.token) ^ 1);
        vm.assertTrue(nonceOf(near) != nonceOf(one), "not for another token");
    }

    function testFuzz_aSignaturePaysItsDepositOrNothing(
        address to,
        uint256 amount,
        uint32 deadline,
        uint32 time,
        address owner
    ) external {
        bytes memory signature = sign(orderTo(deposit));
        to = uint160(to) % 3 == 0 ? deposit : to;
        owner = uint160(owner) % 3 == 0 ? payer : owner;
        amount = amount % 3 == 0 ? AMOUNT : within(amount, 0, FUNDS);
        uint256 end = deadline % 3 == 0 ? DEADLINE : deadline;
        vm.warp(within(time, DEADLINE - 100, DEADLINE + 100));
        bool isSigned = to == deposit && amount == AMOUNT && owner == payer && end == DEADLINE;
        bool mayPay = isSigned && block.timestamp <= DEADLINE;
        try pulls.pullWithPermit2(to, address(usdt), amount, end, owner, signature) {
            vm.assertTrue(mayPay, "it was the payment that was signed");
        } catch {
            vm.assertTrue(!mayPay, "what was signed is paid");
        }
        vm.assertEq(usdt.balanceOf(deposit), mayPay ? AMOUNT : 0, "at the deposit");
        vm.assertEq(usdt.balanceOf(payer), mayPay ? FUNDS - AMOUNT : FUNDS, "and nowhere else");
    }

    function testFuzz_anythingElseThatWasSignedPaysNothing(Order calldata other, uint8 which) external {
        Order memory order = orderTo(deposit);
        if (which % 6 == 0) order.token = other.token;
        if (which % 6 == 1) order.amount = other.amount;
        if (which % 6 == 2) order.spender = other.spender;
        if (which % 6 == 3) order.nonce = other.nonce;
        if (which % 6 == 4) order.deadline = other.deadline;
        if (which % 6 == 5) order.to = other.to;
        vm.assume(keccak256(abi.encode(order)) != keccak256(abi.encode(orderTo(deposit))));
        bytes memory signature = sign(order);
        vm.expectRevert(bytes4(keccak256("InvalidSigner()")));
        pull(signature);
        vm.assertEq(usdt.balanceOf(payer), FUNDS, "nothing moved");
    }

    function nonceOf(Payment memory payment) private view returns (uint256) {
        return pulls.permit2Nonce(payment.deposit, payment.token, payment.amount);
    }
}
