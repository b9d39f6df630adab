// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {PullBench} from "../mocks/PullBench.sol";
import {vm} from "../mocks/Vm.sol";

contract PullFactoryFuzz is PullBench {
    struct Payment {
        address deposit;
        address token;
        uint256 amount;
        uint256 deadline;
    }

    function testFuzz_aPullerStandsForOnePayment(Payment calldata one, Payment calldata other) external view {
        bool isSame = keccak256(abi.encode(one)) == keccak256(abi.encode(other));
        vm.assertTrue((addressOf(one) == addressOf(other)) == isSame, "one address each");
        Payment memory near = one;
        unchecked {
            near.amount += 1;
        }
        vm.assertTrue(addressOf(near) != addressOf(one), "not for another amount");
        near = one;
        near.deposit = address(uint160(one.deposit) ^ 1);
        vm.assertTrue(addressOf(near) != addressOf(one), "not for another deposit");
        near = one;
        near.token = address(uint160(one.token) ^ 1);
        vm.assertTrue(addressOf(near) != addressOf(one), "not for another token");
        near = one;
        near.deadline ^= 1;
        vm.assertTrue(addressOf(near) != addressOf(one), "not for another time");
    }

    function testFuzz_aPermitPaysItsDepositOrNothing(address to, uint256 amount, uint32 time, bool isUsedBefore)
        external
    {
        address puller = pullerOf(deposit, AMOUNT);
        Signed memory signed = permitTo(puller);
        if (isUsedBefore) token.permit(payer, puller, AMOUNT, DEADLINE, signed.v, signed.r, signed.s);
        to = uint160(to) % 3 == 0 ? deposit : to;
        amount = amount % 3 == 0 ? AMOUNT : within(amount, 0, FUNDS);
        vm.warp(within(time, DEADLINE - 100, DEADLINE + 100));
        bool mayPay = to == deposit && amount == AMOUNT && block.timestamp <= DEADLINE;
        try pulls.pullWithPermit(to, address(token), amount, DEADLINE, payer, signed.v, signed.r, signed.s) {
            vm.assertTrue(mayPay || amount == 0, "it was the payment that was signed");
        } catch {
            vm.assertTrue(!mayPay, "what was signed is paid");
        }
        vm.assertEq(token.balanceOf(deposit), mayPay ? AMOUNT : 0, "at the deposit");
        vm.assertEq(token.balanceOf(payer), mayPay ? FUNDS - AMOUNT : FUNDS, "and nowhere else");
    }

    function addressOf(Payment memory payment) private view returns (address) {
        return pulls.pullerAddress(payment.deposit, payment.token, payment.amount, payment.deadline);
    }
}
